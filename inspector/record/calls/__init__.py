"""Open calls: their spans, which hook ends which, and the call that is current."""
