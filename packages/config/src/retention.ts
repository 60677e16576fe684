import type { SourcedEndpoint } from './endpoint-entry.ts';
import type { Problem } from './problem.ts';
import type { ProviderRules } from './provider-rules.ts';
import type { SettingValues } from './settings.ts';

/**
 * An event that comes again after the ledger has forgotten it would take effect twice. One that comes again after its body is gone
 * would only bring the body back, but then somebody asked for it to be sent again, and wants to look at it.
 */
export function checkRetention(
  endpoints: readonly SourcedEndpoint[],
  values: SettingValues,
  providers: readonly ProviderRules[],
  report: (problem: Problem) => void,
): void {
  const windows = endpoints.map(({ endpoint: { provider, endpoint, scheme } }) => {
    const facts = providers.find(({ name }) => name === scheme)?.facts;
    const days = Math.max(facts?.retryWindowMs ?? 0, facts?.replayWindowMs ?? 0) / dayMs;
    return { of: `${provider}/${endpoint}`, days };
  });
  const longest = windows.toSorted((a, b) => b.days - a.days)[0];
  if (longest === undefined) return;
  const window = `${longest.of} may be sent an event again for ${Number(longest.days.toFixed(1))} days`;
  const ledgerDays = values['retention.ledgerDays'];
  if (ledgerDays <= longest.days) {
    const right = `more than that, or such an event would take effect twice`;
    report({ name: 'LEDGER_RETENTION_DAYS', found: `${ledgerDays}, and ${window}`, right });
  }
  const bodyDays = values['retention.bodyDays'];
  if (bodyDays < longest.days) {
    report({ name: 'BODY_RETENTION_DAYS', found: `${bodyDays}, and ${window}`, right: 'at least that' });
  }
}

const dayMs = 86_400_000;
