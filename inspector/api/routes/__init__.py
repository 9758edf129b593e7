"""What each path of ``openapi.yaml`` answers, one module for each noun, and what the routes share."""
