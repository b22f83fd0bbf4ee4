import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { mergeMetrics } from '../../../src/serve/workers/start-workers.ts';

function metricsOf(calls: number) {
  const registers = [new Registry()];
  const counter = new Counter({ name: 'calls', help: 'Calls {all}', labelNames: ['method'], registers });
  counter.inc({ method: 'a"} 1' }, calls);
  new Gauge({ name: 'up', help: 'Up', registers }).set(1);
  new Histogram({ name: 'seconds', help: 'Seconds', buckets: [1], registers }).observe(calls);
  return (registers[0] ?? new Registry()).metrics();
}

test('each sample gets the label of its process, and each metric is described once', async () => {
  const merged = mergeMetrics([
    { worker: '1', text: await metricsOf(1) },
    { worker: '2', text: await metricsOf(2) },
  ]);
  expect(merged).toBe(`# HELP calls Calls {all}
# TYPE calls counter
calls{worker="1",method="a\\"} 1"} 1
calls{worker="2",method="a\\"} 1"} 2

# HELP up Up
# TYPE up gauge
up{worker="1"} 1
up{worker="2"} 1

# HELP seconds Seconds
# TYPE seconds histogram
seconds_bucket{worker="1",le="1"} 1
seconds_bucket{worker="1",le="+Inf"} 1
seconds_sum{worker="1"} 1
seconds_count{worker="1"} 1
seconds_bucket{worker="2",le="1"} 0
seconds_bucket{worker="2",le="+Inf"} 1
seconds_sum{worker="2"} 2
seconds_count{worker="2"} 1
`);
});
