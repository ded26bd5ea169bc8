import { Loader } from '@mantine/core';
import { Component, Suspense, type ReactNode } from 'react';
import { texts } from '../words/texts';
import { Remark } from './Remark';

/** A part that is loaded when first shown. If loading fails, e.g. after an update, it says so. */
export class LazyPart extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (this.state.failed) return <Remark tone="error">{texts.card.partFailed}</Remark>;
    return <Suspense fallback={<Loading words={texts.card.partLoading} />}>{this.props.children}</Suspense>;
  }
}

export function Loading({ words }: { words: string }) {
  return (
    <Remark tone="quiet">
      <Loader size={14} aria-hidden /> {words}
    </Remark>
  );
}
