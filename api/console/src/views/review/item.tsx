// A memory that waits for a decision, with the possible decisions.
import type { ComponentChildren } from "preact";
import type { Memory } from "../../api/types";
import { linkTo } from "../../state/route";
import { Kind, When } from "../../ui/marks";
import { Said } from "../../ui/said";

export function Item({ memory, mark, children }: { memory: Memory; mark?: ComponentChildren; children: ComponentChildren }) {
  return (
    <li class="review-item">
      <div class="review-main">
        <a class="review-text" href={linkTo("memories", memory.id)}><Said text={memory.content.slice(0, 400)} /></a>
        <p class="review-marks"><Kind kind={memory.kind} />{mark}<When at={memory.createdAt} /></p>
      </div>
      <div class="actions">{children}</div>
    </li>
  );
}
