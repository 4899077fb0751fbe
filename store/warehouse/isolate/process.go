package isolate

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"service/store/warehouse"
)

// leaveTime is how long a process may run after its caller has left: the connector has [warehouse.LeaveTime] to end its query on the
// server.
const leaveTime = warehouse.LeaveTime + time.Second

// A process does one call.
type process struct {
	cmd           *exec.Cmd
	stdin, stdout *os.File
}

// start starts a process. The process gets only its pipes and the environment that it needs to find and trust a server. Its stderr may
// contain a password or data, so it is discarded.
func (p *Processes) start() (*process, error) {
	childIn, stdin, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer childIn.Close()
	stdout, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, stdin.Close())
	}
	defer childOut.Close()
	cmd := &exec.Cmd{
		Path:   p.cfg.Argv[0],
		Args:   p.cfg.Argv,
		Env:    environ(),
		Stdin:  childIn,
		Stdout: childOut,

		SysProcAttr: &syscall.SysProcAttr{Setpgid: true}, // a Ctrl-C is for the server, which ends its calls in order
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, stdin.Close(), stdout.Close())
	}
	return &process{cmd, stdin, stdout}, nil
}

// environ returns the variables of the environment that concern TLS and the resolution of names.
func environ() []string {
	env := []string{}
	for _, name := range []string{"SSL_CERT_FILE", "SSL_CERT_DIR", "GODEBUG", "LOCALDOMAIN", "RES_OPTIONS"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// leave closes the stdin of a process, which then exits. It does not wait for the end of the process.
func (p *Processes) leave(left *process) {
	left.stdin.Close()
	left.stdout.Close()
	select {
	case p.leaving <- struct{}{}:
	default:
		_ = left.cmd.Process.Kill()
		go left.cmd.Wait()
		return
	}
	go func() {
		late := time.AfterFunc(leaveTime, func() { _ = left.cmd.Process.Kill() })
		_ = left.cmd.Wait() // its answer already has the outcome
		late.Stop()
		<-p.leaving
	}()
}
