"""What the adapters for scikit-learn and river are made of; each needs its library."""
