module billing

go 1.24.0

require github.com/twmb/franz-go v1.22.2
