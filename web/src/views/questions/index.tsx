export { QuestionCard, type QuestionCardProps } from "./card";
export { hasFocus, lastFocused } from "./focus";
export { placeOf } from "./place";
export { useMinute, WayBack } from "./ended";
export { act } from "./acts";
export { wordsFor } from "./words";
