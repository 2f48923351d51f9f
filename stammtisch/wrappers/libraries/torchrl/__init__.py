"""TorchRL."""
