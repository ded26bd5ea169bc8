import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';

interface Props {
  label: string;
  value: string;
  fault?: string | undefined;
  at?: number | undefined;
  disabled: boolean;
  onChange: (value: string) => void;
}

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--lc-work)' },
  { tag: tags.string, color: 'var(--lc-yes)' },
  { tag: tags.number, color: 'var(--lc-wait)' },
  { tag: [tags.bool, tags.null], color: 'var(--lc-nobody)' },
]);

const look = EditorView.theme({
  '&': {
    height: '100%',
    border: '1px solid var(--lc-border)',
    borderRadius: 'var(--mantine-radius-sm)',
    backgroundColor: 'var(--lc-code)',
    color: 'var(--lc-text)',
    fontSize: '13px',
  },
  '&.cm-focused': { outline: '2px solid var(--mantine-color-clear-5)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--lc-text)' },
  '.cm-cursor': { borderLeftColor: 'var(--lc-text)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--lc-muted)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--lc-work) 7%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--lc-work) 28%, transparent)',
  },
  '.cm-specialChar': { color: 'var(--lc-hidden)' },
  '.cm-tooltip': { backgroundColor: 'var(--lc-surface)', borderColor: 'var(--lc-border)' },
});

const nonce = () => document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';

/** CodeMirror for JSON. Tab leaves it, as it leaves every field; Ctrl+] and Ctrl+[ indent. */
export default function JsonEditor({ label, value, fault, at, disabled, onChange }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const change = useRef(onChange);
  useEffect(() => {
    change.current = onChange;
  });
  useEffect(() => {
    const made = new EditorView({
      parent: box.current!,
      state: EditorState.create({
        doc: value,
        extensions: extensionsFor(label, (text) => change.current(text)),
      }),
    });
    view.current = made;
    made.focus();
    return () => made.destroy();
    // One editor for as long as the dialog is open; what changes from outside comes in below.
  }, [label]);
  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);
  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    editor.contentDOM.setAttribute('aria-invalid', String(fault !== undefined));
    editor.dispatch(
      setDiagnostics(editor.state, fault === undefined ? [] : [markOf(editor.state, fault, at)]),
    );
  }, [fault, at, value]);
  useEffect(() => {
    view.current?.contentDOM.setAttribute('aria-disabled', String(disabled));
  }, [disabled]);
  return <div className="json-editor" ref={box} data-testid="json-editor" />;
}

function extensionsFor(label: string, onText: (text: string) => void) {
  return [
    EditorView.cspNonce.of(nonce()),
    lineNumbers(),
    history(),
    drawSelection(),
    highlightSpecialChars(),
    highlightActiveLine(),
    indentOnInput(),
    bracketMatching(),
    json(),
    syntaxHighlighting(colours),
    look,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label }),
    keymap.of([
      ...defaultKeymap.filter((k) => k.key !== 'Mod-Enter'),
      ...historyKeymap,
      { key: 'Mod-]', run: indentMore },
      { key: 'Mod-[', run: indentLess },
    ]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onText(update.state.doc.toString());
    }),
  ];
}

function markOf(state: EditorState, message: string, at: number | undefined) {
  const line = state.doc.lineAt(Math.min(at ?? 0, state.doc.length));
  const from = at === undefined ? line.from : Math.min(at, line.to);
  return { from, to: line.to, severity: 'error' as const, message };
}
