"""``python -m campaigns [NAME …] [--size N] [--seed N]``: run campaigns, all of them by default."""

import argparse
import importlib
import json
import pkgutil
import time

import campaigns

NAMES = sorted(
    found.name for found in pkgutil.iter_modules(campaigns.__path__) if found.name != "__main__"
)


def main() -> None:
    """Run the campaigns that are named, and print what each counted."""
    parser = argparse.ArgumentParser(prog="campaigns", description=campaigns.__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(NAMES)}")
    parser.add_argument("--size", type=int, help="how many cases; the small size by default")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for name in options.names or NAMES:
        module = importlib.import_module(f"campaigns.{name}")
        began = time.perf_counter()
        counts = module.campaign(options.size or module.SMALL, options.seed)
        print(json.dumps({"campaign": name, "seed": options.seed, **counts}), flush=True)
        print(f"  {time.perf_counter() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
