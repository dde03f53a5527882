package main

import (
	"context"
	"errors"
)

func real(_ context.Context, _ options) error { return errors.New("only -dry is here yet") }
