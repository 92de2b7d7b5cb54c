"""Models trained with differential privacy, named and used as in scikit-learn."""
