import { CodedError } from '@mailroom/kernel';

/** `invoiceMarkedUncollectible` of `invoice.marked_uncollectible`. Throws `unusable_name` where nothing is left of a name. */
export function identifierOf(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const [first = '', ...rest] = words.map((word) => (/[a-z]/.test(word) ? word : word.toLowerCase()));
  const identifier = [first, ...rest.map(capitalised)].join('');
  if (!/^[A-Za-z]/.test(identifier)) throw new CodedError('unusable_name', `${name} does not begin with a letter`);
  return identifier.charAt(0).toLowerCase() + identifier.slice(1);
}

/** `Acme Pay` of `acme-pay`. */
export function titleOf(name: string): string {
  return name.split('-').map(capitalised).join(' ');
}

/** Text as it stands in a single-quoted literal. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
