import { withoutOptions } from '../configure.ts';
import { hmacScheme } from '../declarative/hmac-scheme.ts';
import type { Provider } from '../provider.ts';
import { chosenSecretProblem } from '../secret-form.ts';
import { samples } from './samples.ts';

const dayMs = 86_400_000;

/** GitHub: webhooks of repositories, organizations, apps and the marketplace, as JSON. */
export const github: Provider = {
  name: 'github',
  title: 'GitHub',
  facts: {
    retryWindowMs: 0,
    replayWindowMs: 3 * dayMs,
    answerLimitMs: 10_000,
    batch: null,
    signature: '`X-Hub-Signature-256: sha256=`, HMAC-SHA256 of the body, hex',
    signsTime: false,
    eventId:
      '`X-GitHub-Delivery`, an unsigned header, the same for a redelivery; the hash of the body is kept beside it',
    eventType: '`X-GitHub-Event`, an unsigned header, and `action`; checked against the body where the body can tell',
    objectKey: 'the repository and its issue, pull request, release or ref; else what the body names',
    providerTime: 'none',
    success: 'any 2xx',
    handshake: '`ping`, answered with 200',
    secret: 'the secret of the webhook, as text. Choose the content type `application/json`',
    sources: [
      'https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries',
      'https://docs.github.com/en/webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks',
    ],
  },
  configure: withoutOptions(
    hmacScheme(
      {
        // X-Hub-Signature, with SHA-1, comes along for old receivers. Reading it would be a downgrade.
        signature: {
          header: 'x-hub-signature-256',
          tag: 'sha256=',
          algorithm: 'sha256',
          encoding: 'hex',
          content: '{body}',
        },
        event: {
          id: '{header:x-github-delivery}',
          type: ['{header:x-github-event}.{action}', '{header:x-github-event}'],
          // Issues and pull requests of a repository share one row of numbers, and the comments of both say `issue`.
          object: [
            '{repository.id}/{pull_request.number}',
            '{repository.id}/{issue.number}',
            '{repository.id}/release/{release.id}',
            '{repository.id}/check_run/{check_run.id}',
            '{repository.id}/workflow_run/{workflow_run.id}',
            '{repository.id}/{ref}',
            '{repository.id}',
            'marketplace/{marketplace_purchase.account.id}',
            'sponsorship/{sponsorship.node_id}',
            'organization/{organization.id}',
            'installation/{installation.id}',
          ],
          account: ['{organization.login}', '{repository.owner.login}', '{installation.account.login}'],
        },
        proof: {
          type: '{header:x-github-event}',
          paths: {
            installation: 'installation',
            issues: 'issue',
            issue_comment: 'comment',
            marketplace_purchase: 'marketplace_purchase',
            organization: 'organization',
            ping: 'zen',
            pull_request: 'pull_request',
            pull_request_review: 'review',
            push: 'after',
            release: 'release',
            sponsorship: 'sponsorship',
            workflow_run: 'workflow_run',
          },
        },
        handshakes: [{ name: 'ping', when: { '{header:x-github-event}': 'ping' } }],
      },
      (value) => chosenSecretProblem(value, 8),
    ),
  ),
  samples,
  example: { options: {}, secrets: ['example of a chosen secret', 'another-chosen-secret'] },
};
