"""Measures citations on labelled answers, and the effect of a judge or a checker on natural ones."""
