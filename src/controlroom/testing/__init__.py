"""Fakes and scripted agents that plug-in authors may use too."""
