"""TO BE FILLED."""
