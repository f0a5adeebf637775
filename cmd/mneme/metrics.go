package main

import (
	"context"
	"net/http"

	"github.com/cloudwego/eino/callbacks"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/metric"
	sdk "go.opentelemetry.io/otel/sdk/metric"

	"github.com/mneme-graph/mneme/graph/telemetry"
)

// metrics are the figures of a service: of its requests, its turns and its process, as Prometheus reads them.
type metrics struct {
	page  http.Handler
	meter metric.Meter
	turns callbacks.Handler
	end   func(context.Context) error
}

func newMetrics() (metrics, error) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	reader, err := exporter.New(exporter.WithRegisterer(registry), exporter.WithoutScopeInfo(), exporter.WithoutTargetInfo())
	if err != nil {
		return metrics{}, err
	}
	provider := sdk.NewMeterProvider(sdk.WithReader(reader))
	m := metrics{page: promhttp.HandlerFor(registry, promhttp.HandlerOpts{}), meter: provider.Meter("mneme"), end: provider.Shutdown}
	m.turns, err = telemetry.New(telemetry.Config{Meter: m.meter})
	return m, err
}
