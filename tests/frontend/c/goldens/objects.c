/* Initial values, records, unions, bit-fields, enumerators, strings, statics. */
typedef struct {
  int a;
  union {
    int u;
    float v;
  };
  struct {
    int k[2];
  } in;
} S;
struct P {
  int x, y;
  unsigned b : 3;
  struct P *next;
};
enum color { red, green = 5, blue };
static int table[] = {1, [3] = 2, 5};
static const float grid[][3] = {{1, 2}, {[2] = 9}, 4, 5};
const char text[8] = "a\0b\n\x81";
extern int elsewhere;
static S pair[2] = {{.u = 2, .in.k[1] = 3}, 1, {2}, 3, 4};
static double *pointer = 0;
struct P chain = {1, 2, 3, &chain};

int objects(struct P *p, const S s, enum color c) {
  struct P q = {.y = s.u, 3}, r;
  static int calls;
  int local[4] = {c, blue}, i = 1;
  char word[] = "hi";
  calls++;
  p->next->b = q.x + pair[i].in.k[0];
  r = *p;
  *p = (struct P){.x = r.next[2].y};
  for (int i = 0; i < 3; i++) {
    int i = table[2];
    elsewhere += i + word[1];
  }
  return local[i] + grid[1][2] + text[0] + sizeof(struct P) + (pointer == 0) + calls;
}
