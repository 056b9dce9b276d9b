/** Something the doctor noticed. */
export interface Finding {
  /** A problem needs somebody; a note is only worth knowing. */
  readonly level: 'problem' | 'note';
  readonly where: string;
  readonly what: string;
  /** The next command or edit. */
  readonly fix: string;
}
