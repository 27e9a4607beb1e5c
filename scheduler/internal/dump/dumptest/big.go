// Package dumptest makes dumps to measure with.
package dumptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Big returns a dump of a cluster in the form in which kubectl prints it, with all
// that pods of real clusters carry: 9 kB a pod.
func Big(nodes, podsPerNode int) []byte {
	var out bytes.Buffer
	out.WriteString("{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n")
	first := true
	write := func(x any) {
		if !first {
			out.WriteString(",\n")
		}
		first = false
		data, err := json.MarshalIndent(x, "        ", "    ")
		if err != nil {
			panic(err)
		}
		out.WriteString("        ")
		out.Write(data)
	}
	for n := range nodes {
		write(bigNode(n))
		for p := range podsPerNode {
			write(bigPod(n, p))
		}
	}
	out.WriteString("\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n")
	return out.Bytes()
}

type m = map[string]any

func bigNode(n int) m {
	images := []any{}
	for i := range 50 {
		images = append(images, m{"names": []any{fmt.Sprintf("registry.example.com/team/image-%d@sha256:%064d", i, i), fmt.Sprintf("registry.example.com/team/image-%d:1.%d", i, i)}, "sizeBytes": 123456789 + i})
	}
	return m{
		"apiVersion": "v1", "kind": "Node",
		"metadata": m{"name": fmt.Sprintf("node-%04d", n), "uid": fmt.Sprintf("node-uid-%d", n), "labels": m{"kubernetes.io/hostname": fmt.Sprintf("node-%04d", n)}, "managedFields": managed(3)},
		"status":   m{"allocatable": m{"cpu": "16", "memory": "64Gi", "pods": "110"}, "capacity": m{"cpu": "16", "memory": "64Gi", "pods": "110"}, "images": images},
	}
}

func managed(n int) []any {
	fields := m{}
	for i := range 6 {
		fields[fmt.Sprintf("f:field-%d", i)] = m{".": m{}, fmt.Sprintf(`k:{"name":"x-%d"}`, i): m{"f:name": m{}, "f:value": m{}}}
	}
	list := []any{}
	for range n {
		list = append(list, m{"apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": m{"f:spec": fields}, "manager": "kube-controller-manager", "operation": "Update", "time": "2026-01-01T00:00:00Z"})
	}
	return list
}

func bigPod(n, p int) m {
	env := []any{}
	for i := range 15 {
		env = append(env, m{"name": fmt.Sprintf("VARIABLE_%d", i), "value": strings.Repeat("value ", 5)})
	}
	mounts := []any{m{"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": "kube-api-access", "readOnly": true}}
	name := fmt.Sprintf("service-%04d-%02d", n, p)
	return m{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": m{
			"name": name, "namespace": "default", "uid": name, "labels": m{"app": "service", "pod-template-hash": "abc"},
			"ownerReferences": []any{m{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "service", "uid": "rs", "controller": true}},
			"annotations":     m{"kubectl.kubernetes.io/last-applied-configuration": strings.Repeat(`{"apiVersion":"v1"}`, 20)},
			"managedFields":   managed(2), "creationTimestamp": "2026-01-01T00:00:00Z",
		},
		"spec": m{
			"nodeName": fmt.Sprintf("node-%04d", n), "priority": p % 7, "schedulerName": "default-scheduler", "terminationGracePeriodSeconds": 30,
			"containers": []any{m{
				"name": "main", "image": "registry.example.com/team/service:1.2.3", "env": env, "args": []any{"--flag=one", "--flag=two"}, "volumeMounts": mounts,
				"resources":     m{"requests": m{"cpu": "250m", "memory": "512Mi"}, "limits": m{"memory": "1Gi"}},
				"livenessProbe": m{"httpGet": m{"path": "/healthz", "port": 8080, "scheme": "HTTP"}, "periodSeconds": 10, "failureThreshold": 3},
			}},
			"tolerations": []any{m{"effect": "NoExecute", "key": "node.kubernetes.io/not-ready", "operator": "Exists", "tolerationSeconds": 300}},
			"volumes":     []any{m{"name": "kube-api-access", "projected": m{"defaultMode": 420, "sources": []any{m{"serviceAccountToken": m{"path": "token"}}}}}},
		},
		"status": m{
			"phase": "Running", "startTime": "2026-01-01T00:00:00Z", "podIPs": []any{m{"ip": "10.0.0.1"}},
			"conditions": []any{m{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}},
			"containerStatuses": []any{m{
				"name": "main", "ready": true, "restartCount": 0, "image": "registry.example.com/team/service:1.2.3", "imageID": fmt.Sprintf("sha256:%064d", p),
				"containerID": fmt.Sprintf("containerd://%064d", p), "state": m{"running": m{"startedAt": "2026-01-01T00:00:00Z"}}, "lastState": m{},
			}},
		},
	}
}
