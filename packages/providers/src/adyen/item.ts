import { asObject, type JsonValue } from '@mailroom/kernel';

export type JsonObject = { readonly [key: string]: JsonValue };

/** The items of a standard notification; null where the body is none. An item that is no object is null. */
export function itemsOf(body: JsonValue): readonly (JsonObject | null)[] | null {
  const items = asObject(body)?.['notificationItems'];
  if (!Array.isArray(items)) return null;
  return items.map((item: JsonValue) => asObject(asObject(item)?.['NotificationRequestItem']) ?? null);
}

/**
 * The text that an item's signature covers, or null where it could mean two things. Nothing is escaped: Adyen's own vectors
 * with colons and backslashes in a merchant reference verify so and not otherwise (adyen-python-api-library#117). Hence only
 * that one field may hold a colon. If others could, one signature would fit several divisions of the same text, and a
 * captured item could be sent again as another event.
 */
export function signedText(item: JsonObject): string | null {
  const amount = asObject(item['amount']) ?? {};
  const before = [item['pspReference'], item['originalReference'], item['merchantAccountCode']].map(textOf);
  const reference = textOf(item['merchantReference']);
  const after = [amount['value'], amount['currency'], item['eventCode'], item['success']].map(textOf);
  const fields = [...before, reference, ...after];
  if (fields.includes(null) || [...before, ...after].some((field) => field?.includes(':'))) return null;
  return fields.join(':');
}

/** What is missing counts as empty. Null: a value that is no text. */
function textOf(value: JsonValue | undefined): string | null {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? null : String(value);
}
