import { texts as shared } from '../words/texts';

/** Changing arguments before they run. */
const edit = {
  open: 'Change arguments…',
  title: (tool: string) => `Change the arguments of ${tool}`,
  label: 'Arguments, as JSON',
  loading: 'Opening the editor…',
  failed: 'The editor could not be loaded. Close this and try again.',
  keys: 'Tab leaves the editor; indent with Ctrl+].',
  schema: 'What the tool takes',
  schemaLoading: 'Looking for the tool’s description…',
  noSchema: 'The gateway does not tell what this tool takes. It still checks what you send.',
  changes: 'What changes',
  none: 'Nothing is changed yet.',
  removed: 'left out',
  added: 'new',
  notJSON: (why: string) => `This is not JSON: ${why}`,
  notObject: 'Write one JSON object: { … }',
  faults: {
    null: (path: string) => `${path}: null can’t be sent; leave the member out instead.`,
    masked: (path: string) =>
      `${path}: what is masked is not known here. Leave it exactly as it was, or write a whole new value.`,
    inexact: (path: string) => `${path}: this page can’t send so many digits exactly.`,
  },
  refused: (why: string) => `Not taken, and it still waits: ${why}`,
  approve: 'Approve with these changes',
  reset: 'Start again',
  back: 'Back',
};

export const texts = { ...shared, edit };
