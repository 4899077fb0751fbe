package view_test

import (
	"testing"

	"service/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }
