/** What every claiming statement returns of webhook_inbox i: the fields of `ClaimedEvent`. */
export const claimedColumns = `i.provider, i.endpoint, i.event_id as "eventId", i.event_type as "eventType",
  i.object_key as "objectKey", i.attempts, i.max_attempts as "maxAttempts", i.infra_retries as "infraRetries",
  i.failure_group as "failureGroup", i.lease_token as "leaseToken", i.available_at as "availableAt", i.suspect`;
