"""The pictures of service.md: ``python docs/service.py`` makes them anew, in Chromium.

A service learns 10,000 mails; after 8,000 of them a quarter of the labels are wrong.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
TOKEN = "a-token-for-pictures"
VIEWS = {"light": (1000, 828), "phone": (390, 900)}
"""The width of the window, and the part of the page that is shown."""


def mails(count: int, wrong: float, rng: random.Random) -> list[dict[str, object]]:
    """Mails of a few words, some of which tell; some of the labels are wrong."""
    found: list[dict[str, object]] = []
    for _ in range(count):
        spam = rng.random() < 0.3
        told = spam if rng.random() < 0.93 else not spam
        words = ("offer", "win", "click", "free") if told else ("meeting", "invoice", "lunch")
        features = {f"w{int(rng.paretovariate(0.6))}": 1.0 for _ in range(6)}
        label = spam if rng.random() >= wrong else not spam
        found.append(
            {"features": {rng.choice(words): 1.0} | features, "label": "spam" if label else "ham"}
        )
    return found


def learn(url: str, examples: list[dict[str, object]]) -> None:
    """Send examples, a thousand at a time."""
    for start in range(0, len(examples), 1000):
        body = json.dumps({"examples": examples[start : start + 1000]}).encode()
        headers = {"Authorization": f"Bearer {TOKEN}"}
        urllib.request.urlopen(urllib.request.Request(f"{url}/v1/learn", body, headers)).close()


def main() -> None:
    """Serve, learn, take the pictures."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    arguments = ["--no-sandbox"] if os.getuid() == 0 else []
    chromium, url = os.environ.get("CHROMIUM", "/usr/bin/chromium"), "http://127.0.0.1:8099"
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        tokens = Path(folder) / "tokens"
        tokens.write_text(f"write {TOKEN}\n")
        words = ["serve", f"{folder}/mail.model", "--create", "--labels", "ham,spam", "--log"]
        words += [f"{folder}/log", "--token-file", str(tokens), "--port", "8099"]
        server = subprocess.Popen(
            [sys.executable, "-m", "novikoff", *words], stderr=subprocess.PIPE, text=True
        )
        assert server.stderr is not None
        while "running on" not in server.stderr.readline():
            pass
        rng = random.Random(1)
        learn(url, mails(8000, 0.0, rng) + mails(700, 0.25, rng))
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        for name, (width, height) in VIEWS.items():
            view = browser.new_page(viewport={"width": width, "height": height})
            view.goto(url)
            view.fill("#token", TOKEN)
            view.get_by_role("button").click()
            view.wait_for_selector("body.live canvas")
            view.wait_for_timeout(3000)  # a few seconds of rates
            picture = DOCS / f"service-{name}.png"
            part: Any = {"x": 0, "y": 0, "width": width, "height": height}
            view.screenshot(path=picture, full_page=True, clip=part)
            with Image.open(picture) as image:  # few colours: a third of the bytes
                image.convert("RGB").quantize(128).save(picture, optimize=True)
        browser.close()
        server.terminate()
        server.communicate()


if __name__ == "__main__":
    main()
