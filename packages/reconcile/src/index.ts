export { type ApiClient, type ApiClientOptions, createApiClient } from './api-client.ts';
export { checkRegistrations, type RegistrationResult } from './check-registrations.ts';
export { type ComparisonContext, type ComparisonResult, compareState } from './compare-state.ts';
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
export {
  closeFinding,
  type Finding,
  type FindingAct,
  listFindings,
  type RepairOutcome,
  repairFinding,
} from './findings.ts';
export type { Seen } from './note-findings.ts';
export { asOnlyRunner, type Runner, type RunnerRequest, type RunOutcome } from './runner.ts';
export { type SilentType, silentTypes } from './silence.ts';
export {
  accessOf,
  eventSourcesOf,
  type ProviderAccess,
  type ReconciledEndpoint,
  type SourceSettings,
  stateSourcesOf,
} from './sources.ts';
export { type Standing, standingOf } from './standing.ts';
export type { ComparedPage, Drift, DriftKind, StateSource } from './state-source.ts';
export { type SweepContext, type SweepProgress, type SweepResult, sweepEvents } from './sweep.ts';
