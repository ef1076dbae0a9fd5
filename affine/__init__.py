"""What raising starts from: programs read from MLIR, and their polyhedral view."""
