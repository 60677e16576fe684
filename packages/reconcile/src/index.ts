export { type ApiClient, type ApiClientOptions, createApiClient } from './api-client.ts';
export type { HourCounts, HourOfType } from './coverage.ts';
export { trimCoverage } from './coverage.ts';
export {
  type CoverageFilter,
  type CoverageRow,
  readCoverage,
  type SweptEndpoint,
  sweptEndpoints,
} from './coverage-report.ts';
export type { SweepBounds } from './cursor.ts';
export type { EventSource, FetchedEvent, TimeWindow } from './event-source.ts';
export { asOnlyRunner, type Runner, type RunnerRequest, type RunOutcome } from './runner.ts';
export { type SilentType, silentTypes } from './silence.ts';
export {
  accessOf,
  eventSourcesOf,
  type ProviderAccess,
  type ReconciledEndpoint,
  type SourceSettings,
} from './sources.ts';
export { type Standing, standingOf } from './standing.ts';
export { type SweepContext, type SweepProgress, type SweepResult, sweepEvents } from './sweep.ts';
