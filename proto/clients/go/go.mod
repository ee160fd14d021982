module kimberly.internal/client

go 1.19
