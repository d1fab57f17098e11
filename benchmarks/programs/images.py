"""Images, row by row, tile by tile or pixel by pixel."""

from programs.registry import integers, program, random


@program(lambda n: [n, 40], small=11, large=220)
def mandelbrot(np, rows, columns):
    """How many steps each point of a rectangle stays near 0, row by row."""
    x = np.linspace(-2, 0.6, columns)
    image = np.zeros((rows, columns), dtype=int)
    for i in range(rows):
        c = x + 1j * (2.4 * i / rows - 1.2)
        z = np.zeros_like(c)
        for _ in range(25):
            near = np.abs(z) < 2
            z[near] = z[near] ** 2 + c[near]
            image[i] += near
    return image


@program(lambda n: [integers(200, 8 * n, 80).astype("u1")], small=11, large=230)
def equalize(np, image):
    """Equalize the histogram of each tile of 8 x 8 pixels."""
    result = np.zeros_like(image)
    for y in range(0, image.shape[0], 8):
        for x in range(0, image.shape[1], 8):
            tile = image[y : y + 8, x : x + 8]
            share = np.cumsum(np.bincount(tile.ravel(), minlength=256)) / tile.size
            table = np.round(255 * share).astype(np.uint8)
            result[y : y + 8, x : x + 8] = table[tile]
    return result


@program(lambda n: [(random(n, n) < 0.6).astype("u1")], small=26, large=120)
def flood_fill(np, image):
    """Fill each area of ones with a number of its own."""
    area = np.zeros(image.shape, dtype=np.int32)
    height, width = image.shape
    count = 0
    for row, column in np.argwhere(image):
        if area[row, column]:
            continue
        count += 1
        stack = [(row, column)]
        while stack:
            y, x = stack.pop()
            if 0 <= y < height and 0 <= x < width and image[y, x] and area[y, x] == 0:
                area[y, x] = count
                stack += [(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)]
    return area


@program(lambda n: [integers(64, n, 4)], small=120, large=2200)
def bresenham(np, ends):
    """Draw lines by Bresenham's algorithm."""
    image = np.zeros((64, 64), dtype=np.uint8)
    for x, y, x1, y1 in ends:
        dx, dy = abs(x1 - x), -abs(y1 - y)
        sx, sy = (1 if x < x1 else -1), (1 if y < y1 else -1)
        error = dx + dy
        while True:
            image[y, x] = 255
            if x == x1 and y == y1:
                break
            twice = 2 * error
            if twice >= dy:
                error += dy
                x += sx
            if twice <= dx:
                error += dx
                y += sy
    return image


@program(lambda n: [random(50, 60), n], small=40, large=800)
def rotate(np, image, rows):
    """An image turned by 30 degrees with bilinear interpolation, row by row."""
    height, width = image.shape
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    result = np.zeros((rows, width))
    for i in range(rows):
        v, u = i * height / rows - height / 2, np.arange(width) - width / 2
        y = np.clip(c * v + s * u + height / 2, 0, height - 1.001)
        x = np.clip(c * u - s * v + width / 2, 0, width - 1.001)
        y0, x0 = np.floor(y).astype(int), np.floor(x).astype(int)
        fy, fx = y - y0, x - x0
        top = (1 - fx) * image[y0, x0] + fx * image[y0, x0 + 1]
        bottom = (1 - fx) * image[y0 + 1, x0] + fx * image[y0 + 1, x0 + 1]
        result[i] = (1 - fy) * top + fy * bottom
    return result


@program(lambda n: [random(n, 24, 24)], small=18, large=350)
def blur(np, images):
    """A Gaussian blur of small images with 5 x 5 weights."""
    weights = np.array([1, 4, 6, 4, 1]) / 16
    results = []
    for image in images:
        h, w = image.shape
        result = np.zeros((h - 4, w - 4))
        for dy, a in enumerate(weights):
            for dx, b in enumerate(weights):
                result += a * b * image[dy : dy + h - 4, dx : dx + w - 4]
        results.append(result)
    return np.stack(results)


@program(lambda n: [random(n, n)], small=27, large=110)
def median_filter(np, image):
    """The median of each 3 x 3 pixels."""
    h, w = image.shape
    result = image.copy()
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            window = image[y - 1 : y + 2, x - 1 : x + 2].ravel()
            window = np.sort(window)
            result[y, x] = window[4]
    return result
