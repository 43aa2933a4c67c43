"""Labels and names on one line each, whatever they hold."""

import codecs
import json
import re

# Control characters, what ends a line anywhere, and halves of surrogate pairs, which no file holds.
_HIDDEN = f"[\x00-\x1f\x7f-\x9f{chr(0x2028)}{chr(0x2029)}\ud800-\udfff]"
ESCAPES = "novikoff-escapes"
"""For ``errors=``: characters that an encoding lacks are escaped as in JSON."""
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _escape(match: re.Match[str]) -> str:
    return _SHORT.get(match[0], f"\\u{ord(match[0]):04x}")


def visible(text: str) -> str:
    r"""Return a text for people, in which line ends and invisible characters are escaped.

    >>> visible("a\nb\x1b")
    'a\\nb\\u001b'
    """
    return text if text.isprintable() else re.sub(_HIDDEN, _escape, text)


def _escaped(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


codecs.register_error(ESCAPES, _escaped)


def as_line(value: object) -> str:
    r"""Return a label or a name on one line, from which ``from_line`` gets it back.

    A backslash is doubled; a line break, a tab, a control character, U+2028, U+2029 and half a
    surrogate pair are ``\n``, ``\r``, ``\t`` or ``\uXXXX``, as in JSON.

    >>> as_line("two\nlines"), as_line("a\\b"), as_line(1.5)
    ('two\\nlines', 'a\\\\b', '1.5')
    """
    return visible(str(value).replace("\\", "\\\\"))


def from_line(line: str) -> str:
    r"""Return the text of a line that ``as_line`` made.

    >>> from_line(as_line('a\\n"b"\x85')) == 'a\\n"b"\x85'
    True
    """
    quoted = line.replace('"', '\\"')
    found: str = json.loads(f'"{quoted}"')
    return found


def json_line(value: object) -> str:
    """Return JSON on one line: characters that would end it, or break UTF-8, are escaped."""
    return visible(json.dumps(value, ensure_ascii=False, allow_nan=False))
