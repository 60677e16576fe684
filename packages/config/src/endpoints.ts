import { messageOf } from '@mailroom/kernel';
import { type EndpointContext, endpointLimits, type SourcedEndpoint } from './endpoint-entry.ts';
import { readEndpointsFile } from './endpoints-file.ts';
import { judgeSecret } from './judge-secret.ts';
import { ensureLocalSecret, localSecretPath, readLocalSecret } from './local-secret.ts';
import { type Secret, sealSecret } from './secret.ts';

export interface EndpointsRequest {
  readonly home: string;
  readonly file: string;
  /** The file was named by a variable, so that its absence is a mistake. */
  readonly fileIsNamed: boolean;
  readonly stripeSecret: string | null;
  /**
   * What stands in where there is neither a file nor a variable: `create` the generated secret, `show` it if it is there
   * already, or `refuse`.
   */
  readonly generated: 'create' | 'show' | 'refuse';
}

/**
 * The endpoints: those of the file, else `stripe/billing` with the secret of STRIPE_WEBHOOK_SECRET, else (for a developer)
 * with a generated one. Problems are reported; what is wrong is left out.
 */
export function resolveEndpoints(request: EndpointsRequest, context: EndpointContext): readonly SourcedEndpoint[] {
  const listed = readEndpointsFile(request.file, context);
  if (listed !== null) return listed;
  if (request.fileIsNamed) {
    context.report({
      name: 'MAILROOM_ENDPOINTS_FILE',
      found: `that ${request.file} does not exist`,
      right: 'the path of the endpoints file',
    });
    return [];
  }
  // One who verifies nothing needs no secret to know the endpoint that there is without a file.
  if (context.reads === 'keys') return [stripeBilling([], [])];
  if (request.stripeSecret !== null) return fromVariable(request.stripeSecret, request.home, context);
  if (request.generated !== 'refuse') return fromHome(request.home, request.generated, context);
  context.report({
    name: 'endpoints',
    found: `neither ${request.file} nor STRIPE_WEBHOOK_SECRET`,
    right: 'an endpoints file (docs/configuration.md), or STRIPE_WEBHOOK_SECRET for the one endpoint stripe/billing',
  });
  return [];
}

function fromVariable(value: string, home: string, context: EndpointContext): readonly SourcedEndpoint[] {
  const configured = context.providers.find(({ name }) => name === 'stripe')?.configure({});
  const judged = judgeSecret(
    value,
    configured?.outcome === 'configured' ? { provider: 'stripe', ...configured.scheme } : undefined,
  );
  if (judged === null) {
    const label = isGenerated(value, home) ? 'generated' : 'env';
    return [stripeBilling([sealSecret(label, value)], ['env:STRIPE_WEBHOOK_SECRET'])];
  }
  context.report({ name: 'STRIPE_WEBHOOK_SECRET', ...judged });
  return [];
}

// npm start hands it to its ingestor in the variable; whoever looks at matches finds it under the one label.
function isGenerated(value: string, home: string): boolean {
  try {
    return readLocalSecret(home)?.value === value;
  } catch {
    return false;
  }
}

function fromHome(home: string, how: 'create' | 'show', context: EndpointContext): readonly SourcedEndpoint[] {
  const path = localSecretPath(home);
  try {
    const secret = how === 'create' ? ensureLocalSecret(home) : readLocalSecret(home);
    if (secret !== null) return [stripeBilling([secret], [`file:${path}`])];
    return [stripeBilling([sealSecret('generated', '')], [`file:${path}, made by the first npm start`])];
  } catch (error) {
    const right = 'a folder that this process may write to';
    context.report({
      name: 'MAILROOM_HOME',
      found: `a generated secret that is of no use: ${messageOf(error)}`,
      right,
    });
    return [];
  }
}

function stripeBilling(secrets: readonly Secret[], secretsFrom: readonly string[]): SourcedEndpoint {
  const endpoint = {
    provider: 'stripe',
    scheme: 'stripe',
    endpoint: 'billing',
    options: {},
    secrets,
    toleranceMs: endpointLimits.toleranceMs.default,
    maxBodyBytes: endpointLimits.maxBodyBytes.default,
    keepRejectedBodies: false,
    reconcile: null,
  };
  return { endpoint, secretsFrom, keyFrom: null, file: null };
}
