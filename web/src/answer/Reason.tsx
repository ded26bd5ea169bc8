import { TextInput } from '@mantine/core';
import { useContext } from 'react';
import { StoreContext, useStore } from '../store/store';
import { texts } from '../words/texts';
import classes from './reason.module.css';

/** Why a call is denied. What is typed stands in the store: a card may leave the page and come back. */
export function useReason(approvalId: string): [string, (reason: string) => void] {
  const store = useContext(StoreContext);
  const reason = useStore((s) => s.drafts[approvalId]?.reason) ?? '';
  return [reason, (text) => store.dispatch({ type: 'drafting', approvalId, draft: { reason: text } })];
}

interface ReasonProps {
  value: string;
  disabled: boolean;
  focused: boolean; // just opened
  onChange: (reason: string) => void;
  onDeny: () => void;
}

/** The reason in one's own words, or in words that are often needed: those are filled in, and nothing is sent. */
export function Reason({ value, disabled, focused, onChange, onDeny }: ReasonProps) {
  const t = texts.card;
  return (
    <div className={classes.reason}>
      <TextInput
        label={t.reason}
        description={t.reasonKeys}
        placeholder={t.reasonPlaceholder}
        value={value}
        onChange={(e) => onChange(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key === 'Enter' && (e.ctrlKey || e.metaKey) && !disabled) onDeny();
        }}
        disabled={disabled}
        size="sm"
        autoComplete="off"
        autoFocus={focused}
        data-key="reason"
      />
      <div className={classes.presets} role="group" aria-label={t.presets}>
        {t.presetList.map((words) => (
          <button
            key={words}
            type="button"
            className={classes.preset}
            disabled={disabled}
            aria-pressed={value === words}
            onClick={() => onChange(value === words ? '' : words)}
          >
            {words}
          </button>
        ))}
      </div>
    </div>
  );
}
