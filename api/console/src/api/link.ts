// Opens a link of `kimberly console`. The key's secret is replaced first, so that the one in the link, which a terminal or a
// history may still show, becomes useless.
import { key, notOpened, signIn, user, type Link } from "../state/session";
import { failed } from "../state/toasts";
import { ApiError, post } from "./client";

const TOO_MANY = 429;

export async function open(link: Link): Promise<void> {
  key.value = link.key;
  try {
    const path = `v1/keys/${encodeURIComponent(link.once)}:rotate`;
    const renewed = await post<{ key: string }>(path, { overlap: "0s" });
    signIn(user.value, renewed.key);
  } catch (error) {
    const forGood = error instanceof ApiError && error.status < 500 && error.status !== TOO_MANY;
    notOpened(forGood ? "linkSpent" : "linkWaits");
    if (!forGood) failed(error);
  }
}
