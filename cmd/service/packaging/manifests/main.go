// Command manifests decodes the manifests of a kustomization with the types of the Kubernetes API, where an unknown or repeated key is an
// error. It is a module of its own, so that the product does not depend on these types.
//
//	go run . ../../../../docs/operations/kubernetes
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"
)

// kinds returns the type of each kind of object.
var kinds = map[string]func() any{
	"v1 ConfigMap":                           func() any { return new(corev1.ConfigMap) },
	"v1 Namespace":                           func() any { return new(corev1.Namespace) },
	"v1 PersistentVolumeClaim":               func() any { return new(corev1.PersistentVolumeClaim) },
	"v1 Service":                             func() any { return new(corev1.Service) },
	"apps/v1 Deployment":                     func() any { return new(appsv1.Deployment) },
	"autoscaling/v2 HorizontalPodAutoscaler": func() any { return new(autoscalingv2.HorizontalPodAutoscaler) },
	"batch/v1 CronJob":                       func() any { return new(batchv1.CronJob) },
	"networking.k8s.io/v1 Ingress":           func() any { return new(networkingv1.Ingress) },
	"networking.k8s.io/v1 NetworkPolicy":     func() any { return new(networkingv1.NetworkPolicy) },
	"policy/v1 PodDisruptionBudget":          func() any { return new(policyv1.PodDisruptionBudget) },
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: manifests <folder of a kustomization>")
		os.Exit(2)
	}
	n, err := check(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%s: %d objects\n", os.Args[1], n)
}

// check decodes the kustomization of a folder and all its resources, and returns the number of objects.
func check(dir string) (n int, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "kustomization.yaml"))
	if err != nil {
		return 0, err
	}
	var k types.Kustomization
	if err := yaml.UnmarshalStrict(text, &k); err != nil {
		return 0, fmt.Errorf("kustomization.yaml: %w", err)
	}
	var wrong []error
	for _, name := range k.Resources {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		for r := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; n++ {
			object, err := r.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			if err == nil {
				err = decode(object)
			}
			if err != nil {
				wrong = append(wrong, fmt.Errorf("%s: %w", name, err))
				break
			}
		}
	}
	return n, errors.Join(wrong...)
}

// decode decodes one object.
func decode(object []byte) error {
	var meta metav1.TypeMeta
	if err := yaml.Unmarshal(object, &meta); err != nil {
		return err
	}
	typed, ok := kinds[meta.APIVersion+" "+meta.Kind]
	if !ok {
		return fmt.Errorf("there is no kind %s in %s", meta.Kind, meta.APIVersion)
	}
	return yaml.UnmarshalStrict(object, typed())
}
