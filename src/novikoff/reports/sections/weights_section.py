"""What the model looks at: the features that weigh most."""

import math

from novikoff.reports.facts import Facts
from novikoff.reports.page_parts import own, section, terms
from novikoff.reports.page_words import count, number
from novikoff.reports.weights import Weights

_SCALED = (
    '<p class="note">The number is the weight per unit of the feature. The bar is as long as the '
    "weight times the largest value of the feature.</p>\n"
)


def weights(facts: Facts) -> str:
    """Return the features that weigh most, for each class if there are many."""
    lists = "".join(_bars(one, facts.ledger.labels) for one in facts.weights)
    more = f'<p class="note">And {count(facts.more_classes, "class", "classes")} more.</p>\n'
    several = " several" * (facts.weights[0].label is not None)
    scaled = any(one.sizes != [abs(v) for _, v in one.features] for one in facts.weights)
    body = f'<div class="weights{several}">\n{lists}</div>\n{more * bool(facts.more_classes)}'
    body += _SCALED * scaled
    meanings = {
        "weight": "What the score gains per unit of the feature. A positive weight speaks for the "
        "label on the right, or for the class. A bar is as long as the weight, times the largest "
        "value of the feature for a mixture: columns may have any scale.",
        "constant feature": "A feature that is the same in every row, so that a row without "
        "features has a score too.",
    }
    return section("What weighs most", body + terms(meanings))


def _bars(found: Weights, labels: tuple[object, ...]) -> str:
    most = max(found.sizes)
    lines = []
    for (feature, value), size in zip(found.features, found.sizes, strict=True):
        name = f"feature {feature}" if isinstance(feature, int) else feature
        side = "plus" if value > 0 else "minus"
        share = 50 * (size / most) if 0 < most < math.inf else 0
        lines.append(
            f'<li><span class="name">{own(name, 48)}</span><span class="track"><span '
            f'class="{side}" style="width: {share:.2f}%"></span></span>'
            f'<span class="value">{number(value, 4)}</span></li>'
        )
    if found.label is not None:
        head = f"<h3><small>class</small> {own(found.label, 40)}</h3>\n"
    elif len(labels) == 2:
        left, right = (own(label, 32) for label in labels)
        head = f'<p class="sides"><span>← {left}</span><span>{right} →</span></p>\n'
    else:
        head = ""
    constant = f'<p class="note">The constant feature weighs {number(found.constant or 0)}.</p>\n'
    return (
        f'<div>{head}<ol class="bars">\n{chr(10).join(lines)}\n</ol>\n'
        f"{constant * (found.constant is not None)}</div>\n"
    )
