import { IconEye } from '@tabler/icons-react';
import { useEffect, type RefObject } from 'react';
import { useConnection } from '../connection/context';
import { useStore } from '../store/store';
import { texts } from './texts';
import classes from './messagesAndViewers.module.css';
import { Revealed } from '../ui/Revealed';

const nobody: readonly string[] = [];

/** Who else has the request on a screen. It lies over the card's edge, so that it moves nothing. */
export function Viewers({ approvalId }: { approvalId: string }) {
  const viewers = useStore((s) => s.viewers[approvalId]) ?? nobody;
  const own = useStore((s) => s.identity?.subject);
  const others = viewers.filter((v) => v !== own);
  return (
    <div className={classes.viewers} role="status" data-testid="viewers">
      {others.length > 0 && (
        <span className={classes.viewersPill}>
          <IconEye size={14} aria-hidden />
          <Revealed text={texts.card.viewers(others)} />
        </span>
      )}
    </div>
  );
}

/** Tells the others that this tab shows a card, while the card is in the middle of the screen. */
export function useReportViewing(box: RefObject<HTMLElement | null>, approvalId: string): void {
  const connection = useConnection();
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let inside = false;
    let told = false;
    const tell = () => {
      const looks = inside && document.visibilityState === 'visible';
      if (looks !== told) connection.look(approvalId, looks);
      told = looks;
    };
    const watch = new IntersectionObserver(
      (entries) => {
        inside = entries.at(-1)?.isIntersecting ?? false;
        tell();
      },
      { rootMargin: '-45% 0px -45% 0px' },
    );
    watch.observe(element);
    document.addEventListener('visibilitychange', tell);
    return () => {
      watch.disconnect();
      document.removeEventListener('visibilitychange', tell);
      if (told) connection.look(approvalId, false);
    };
  }, [box, approvalId, connection]);
}
