"""Better equal programs by equality saturation (a later stage)."""
