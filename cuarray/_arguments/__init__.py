"""Shared argument handling: conversion of arguments to arrays on one device, axes, the ufuncs by name."""
