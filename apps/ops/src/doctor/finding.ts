/** One thing that the doctor looked at. */
export interface Finding {
  /** `wrong`: something will be lost, refused or stuck. `note`: worth knowing. `fine`: as it should be. */
  readonly level: 'fine' | 'note' | 'wrong';
  /** What was looked at: a setting, an endpoint, a property of the database. */
  readonly subject: string;
  readonly found: string;
  /** What to do, or why it matters; null where it is fine. */
  readonly advice: string | null;
}

export function fine(subject: string, found: string): Finding {
  return { level: 'fine', subject, found, advice: null };
}

export function note(subject: string, found: string, advice: string): Finding {
  return { level: 'note', subject, found, advice };
}

export function wrong(subject: string, found: string, advice: string): Finding {
  return { level: 'wrong', subject, found, advice };
}
