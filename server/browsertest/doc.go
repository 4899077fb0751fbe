// Package browsertest opens pages in a real Chromium, as people do.
//
// One Chromium runs per test binary, started by the first test that asks and
// stopped by [Stop]. Each [Tab] has a browser context of its own, so that tests
// share no cookies. What the console complains of, such as a policy that was
// broken or a request that failed, fails the test.
package browsertest
