"""Games: adversaries, worst cases and simulations."""
