import { ActionIcon, CopyButton, Loader } from '@mantine/core';
import { IconCheck, IconChevronDown, IconChevronUp, IconLink } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { ApprovalCard } from '../card/ApprovalCard';
import { href } from '../browser/route';
import { useStore } from '../store/store';
import type { ApprovalRequest } from '../wire/wire';
import { Answered } from './Answered';
import { texts } from './texts';
import classes from './detail.module.css';

interface Props {
  approvalId: string;
  place: { at: number; of: number } | undefined;
  previous: string | undefined;
  next: string | undefined;
  onShow: (approvalId: string) => void;
  onLater: () => void;
  onNext: () => void;
  more: boolean; // whether a request waits that was not skipped
  onReviewed: (request: ApprovalRequest) => void;
}

/** One request at its permanent URL: while it waits, and once it is answered. */
export function Detail(props: Props) {
  const { approvalId, place, onLater, onNext, more, onReviewed } = props;
  const request = useStore((s) => s.pending[approvalId]);
  const loading = useStore((s) => !s.haveSnapshot && !s.settled[approvalId]);
  const phase = useStore((s) => s.connection.phase);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.scrollTo({ top: 0 });
  }, [approvalId]);
  return (
    <section className={classes.detail} aria-label={texts.focus.region}>
      <div className={classes.scroll} ref={box} data-scroller>
        <Tools {...props} place={place} />
        {request ? (
          <ApprovalCard
            key={`${approvalId} ${request.argsDigest}`}
            request={request}
            place={phase}
            fills
            onLater={onLater}
            onReviewed={onReviewed}
          />
        ) : loading ? (
          <div className={classes.loading}>
            <Loader size="sm" aria-label={texts.focus.loading} />
          </div>
        ) : (
          <Answered key={approvalId} approvalId={approvalId} more={more} onNext={onNext} />
        )}
      </div>
    </section>
  );
}

/** Copies the link, shows the position in the list, and leads to the previous and next request. */
function Tools({ approvalId, place, previous, next, onShow }: Props) {
  const t = texts.focus;
  const address = location.origin + href({ view: 'approvals', approvalId });
  return (
    <div className={classes.tools}>
      <CopyButton value={address}>
        {({ copied, copy }) => (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={copied ? t.copied : t.copy}
            onClick={copy}
          >
            {copied ? <IconCheck size={18} aria-hidden /> : <IconLink size={18} aria-hidden />}
          </ActionIcon>
        )}
      </CopyButton>
      <span className={classes.place} data-testid="place">
        {place && t.place(place.at, place.of)}
      </span>
      <Step name={t.previous} to={previous} icon={IconChevronUp} onShow={onShow} />
      <Step name={t.next} to={next} icon={IconChevronDown} onShow={onShow} />
    </div>
  );
}

interface StepProps {
  name: string;
  to: string | undefined;
  icon: typeof IconChevronUp;
  onShow: (approvalId: string) => void;
}

/** Shows the request before or after this one. */
function Step({ name, to, icon: Icon, onShow }: StepProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      disabled={!to}
      aria-label={name}
      onClick={() => to && onShow(to)}
    >
      <Icon size={18} aria-hidden />
    </ActionIcon>
  );
}
