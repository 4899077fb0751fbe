// Package browsertest opens pages in a real Chromium, as people do.
//
// One Chromium runs per test binary, started by the first test that needs it and stopped
// by [Stop]. Each [Tab] has a browser context of its own, so that tests share no
// cookies. Complaints of the console, such as a violated policy or a failed request,
// fail the test.
package browsertest
