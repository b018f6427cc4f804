"""The values that commands give; how they look is the report's business."""
