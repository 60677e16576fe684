export type { AdminHealth } from './admin-answer.ts';
export { type AdminServer, type AdminServerOptions, startAdminServer } from './admin-server.ts';
export type { KnownLabels } from './label-bounds.ts';
export { createLogger, type LoggerOptions, type ServiceLogger } from './logger.ts';
export { type CounterHandle, createMetrics, type GaugeHandle, type HistogramHandle, type Metrics } from './metrics.ts';
