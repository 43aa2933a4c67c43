"""Ready-made templates of features, each with the columns it reads.

A template is one or more atoms joined by ``|``. For example, ``w[-1]|w[0]`` is the word before and
the word itself, as one feature. An atom is a column, or something about the first column, of the
position at an offset: ``lower`` (ASCII letters in lower case), ``pre3`` and ``suf3`` (the first or
last three characters of a longer word), ``shape`` (``Xxxx-dd``), and ``digit``, ``hyphen``,
``upper`` and ``title``, which are features only if they are true. ``always`` is always a feature.
Outside the sentence a column is ``<s>`` or ``</s>``.
"""

_WINDOW = "w[-2] w[-1] w[0] w[1] w[2] w[-1]|w[0] w[0]|w[1]"
_TAGS = (
    "p[-2] p[-1] p[0] p[1] p[2] p[-2]|p[-1] p[-1]|p[0] p[0]|p[1] p[1]|p[2] "
    "p[-2]|p[-1]|p[0] p[-1]|p[0]|p[1] p[0]|p[1]|p[2]"
)
_FORM = (
    "pre1[0] pre2[0] pre3[0] pre4[0] suf1[0] suf2[0] suf3[0] suf4[0] shape[0] "
    "digit[0] hyphen[0] upper[0] title[0]"
)

TEMPLATES: dict[str, tuple[str, str]] = {
    "chunking-window": (f"{_WINDOW} {_TAGS}", "w p"),
    "chunking": (
        f"{_WINDOW} {_TAGS} w[-1]|w[1] w[0]|p[-1] w[0]|p[0] w[0]|p[1] w[-1]|p[0] p[0]|w[1] "
        "p[-1]|w[0]|p[1] p[-3] p[3] suf2[0] suf3[0] shape[0]",
        "w p",
    ),
    "tagging": (
        f"{_WINDOW} lower[0] lower[-1] lower[1] {_FORM} suf3[-1] suf3[1] suf2[-1] suf2[1] "
        "shape[-1] shape[1] lower[-1]|lower[1] lower[-2]|lower[-1] lower[1]|lower[2] "
        "title[0]|w[-1] shape[-1]|shape[0] shape[0]|shape[1] suf3[0]|w[-1] suf3[0]|w[1] always",
        "w",
    ),
    "entities": (
        f"{_WINDOW} lower[0] lower[-1] lower[1] lower[-2] lower[2] {_FORM} shape[-1] shape[1] "
        "shape[-1]|shape[0] shape[0]|shape[1] shape[-1]|shape[0]|shape[1] lower[-1]|shape[0] "
        "shape[0]|lower[1] suf3[-1] suf3[1] title[-1] title[1] always",
        "w",
    ),
}
