import { Component, type ReactNode } from 'react';
import { texts } from './texts';
import { Remark } from '../ui/Remark';

/** Says that the editor did not come, and leaves the rest of the page as it is. */
export class EditorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? <Remark tone="error">{texts.edit.failed}</Remark> : this.props.children;
  }
}
